# An installed nereid as a newcomer uses it. usage: sh -e use.sh [torch]
cd /session
python -m nereid --which
nereid info
nereid run kernels.py:add x=arange:f32[1000] y=ones:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=128 --grid 'cdiv(n, BLOCK)' --against interp
nereid check kernels.py:add x=randn:f32[1000] y=randn:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=128 --grid 'cdiv(n, BLOCK)'
! nereid check kernels.py:add x=randn:f32[1000] y=randn:f32[1000] out=zeros:f32[1000] n=1001 BLOCK=128 --grid 'cdiv(n, BLOCK)'
nereid audit kernels.py
python -m nereid use_numpy.py
python -m nereid.enable
python -m nereid --which
python use_numpy.py
[ "$1" != torch ] || python use_torch.py
python -m nereid.enable --off
pip install -q --no-index --find-links /wheels nereid-triton
python use_numpy.py
python -m nereid.enable
